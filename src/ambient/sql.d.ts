/** SQL lives in files; the bundler hands their text over. */
declare module '*.sql?raw' {
  const text: string;
  export default text;
}
