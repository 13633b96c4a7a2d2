// css.d.ts tells the type check that the build imports CSS files as text.
declare module "*.css" {
  const text: string;
  export default text;
}
