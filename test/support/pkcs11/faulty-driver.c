// A PKCS#11 driver that passes all calls to the one of FAULTY_DRIVER_OF. The file of FAULTY_DRIVER_FAULT, where it exists, says what happens to
// signatures: "sleep <ms>" delays them, "fail <code>" answers with that code.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CK_PTR *
#define CK_DECLARE_FUNCTION(returnType, name) returnType name
#define CK_DECLARE_FUNCTION_POINTER(returnType, name) returnType(*name)
#define CK_CALLBACK_FUNCTION(returnType, name) returnType(*name)
#define NULL_PTR 0
#include "pkcs11.h"

static CK_FUNCTION_LIST functions;
static CK_C_Sign sign;

static CK_RV faulty_sign(CK_SESSION_HANDLE session, CK_BYTE_PTR data, CK_ULONG length, CK_BYTE_PTR signature, CK_ULONG_PTR size) {
  char kind[8] = "";
  unsigned long number = 0;
  FILE *fault = fopen(getenv("FAULTY_DRIVER_FAULT"), "r");
  if (fault) {
    if (fscanf(fault, "%7s %lu", kind, &number) != 2) kind[0] = 0;
    fclose(fault);
  }
  if (!strcmp(kind, "fail")) return number;
  if (!strcmp(kind, "sleep")) usleep(number * 1000);
  return sign(session, data, length, signature, size);
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR list) {
  void *driver = dlopen(getenv("FAULTY_DRIVER_OF"), RTLD_NOW);
  if (!driver) return CKR_GENERAL_ERROR;
  CK_C_GetFunctionList get = (CK_C_GetFunctionList)dlsym(driver, "C_GetFunctionList");
  CK_FUNCTION_LIST_PTR of;
  CK_RV result = get(&of);
  if (result != CKR_OK) return result;
  functions = *of;
  sign = functions.C_Sign;
  functions.C_Sign = faulty_sign;
  *list = &functions;
  return CKR_OK;
}
