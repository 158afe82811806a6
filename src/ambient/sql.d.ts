/** SQL and data live in files of their own; the bundler hands their text over. */
declare module '*.sql?raw' {
  const text: string;
  export default text;
}
declare module '*.yaml?raw' {
  const text: string;
  export default text;
}
