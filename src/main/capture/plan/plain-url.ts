/** Whether a URL holds no user and password: a plan says where these are instead. What is no URL holds none. */
export function hasNoPassword(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}
