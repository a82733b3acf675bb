// A sandbox names the cause of a 401; in production, check the list in docs/authentication.md.
pm.test("The signature is accepted", () => {
  const cause = pm.response.headers.get("x-sandbox-auth-cause") ?? "see docs/authentication.md";
  pm.expect(pm.response.json().code, cause).not.to.equal(401);
});
