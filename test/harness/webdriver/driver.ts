/** What a browser's protocol must do; the verbs of `driven.ts` are made of it. */
export type Driver = {
  navigate(url: string): Promise<unknown>
  /** The value of an expression, which may be a promise, as JSON. */
  evaluate(expression: string): Promise<string>
  /** Actions as in WebDriver and in WebDriver BiDi, which agree on their form. */
  act(sources: readonly object[]): Promise<unknown>
  /** A PNG in base64. */
  screenshot(): Promise<string>
  resize(width: number, height: number): Promise<unknown>
  close(): Promise<unknown>
  /** Errors of the page, where the protocol tells them. */
  readonly trouble: readonly string[]
}
