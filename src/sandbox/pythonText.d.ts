/** The build embeds Python sources as text. */
declare module '*.py' {
  const text: string;
  export default text;
}
