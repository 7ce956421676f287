declare module 'juice/client' {
  interface Juice {
    (html: string, options?: object): string
    codeBlocks: Record<string, { start: string; end: string }>
  }
  const juice: Juice
  export default juice
}
declare module 'mjml' {
  const mjml: unknown
  export default mjml
}
