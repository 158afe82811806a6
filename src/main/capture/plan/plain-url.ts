/** Whether a URL contains no user or password; plans reference secrets instead. True for invalid URLs. */
export function hasNoPassword(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}
