import { carryOut } from '../children.ts'

const PROCESS = new URL('./asker-process.ts', import.meta.url)

/** `alert`: no two alike. `unreadable`: 62 KiB of JSON without an end. */
export type AskedBody = 'alert' | 'unreadable'

export type AskOrder = {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** Asked for in turn, over and over. */
  readonly paths: readonly string[]
  readonly connections: number
  /** What is posted; without it the paths are only read. */
  readonly body?: AskedBody
}

/** `statuses`: how often each came. */
export type Asked = { readonly seconds: number; readonly statuses: Readonly<Record<string, number>> }

/** Sends requests to one service as fast as it answers, from a separate process. */
export const askOnAndOn = (order: AskOrder): { stop(): Promise<Asked> } => carryOut(PROCESS, order)
