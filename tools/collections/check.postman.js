// A sandbox names the cause of a 401; in production, check the list in docs/errors/UNAUTHORIZED.md.
pm.test("The signature is accepted", () => {
  const cause = pm.response.headers.get("x-sandbox-auth-cause") ?? "see docs/errors/UNAUTHORIZED.md";
  pm.expect(pm.response.json().code, cause).not.to.equal(401);
});
