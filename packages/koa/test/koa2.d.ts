declare module 'koa2' {
  export { default } from 'koa'
}
