/**
 * Returns the environment with the operator's own login in DATABASE_URL, where OPERATOR_LOGIN names one: what is shared, such as a service of
 * the compose file, has a URL for all (docs/DATABASE.md#logins-of-operators).
 * @throws Error where the login has no password
 */
export function withLogin(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { OPERATOR_LOGIN: login, OPERATOR_PASSWORD: password, DATABASE_URL } = env;
  if (!login || !DATABASE_URL || !URL.canParse(DATABASE_URL)) return env;
  if (!password) throw new Error("OPERATOR_LOGIN is set, and OPERATOR_PASSWORD is not");
  const url = new URL(DATABASE_URL);
  url.username = encodeURIComponent(login);
  url.password = encodeURIComponent(password);
  return { ...env, DATABASE_URL: url.href };
}
