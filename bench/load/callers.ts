import { carryOut } from '../children.ts'

const PROCESS = new URL('./callers-process.ts', import.meta.url)

export type CallOrder = { readonly port: number; readonly isSecure: boolean; readonly perSecond: number }

/** Connections that were made, and those that failed. */
export type Called = { readonly seconds: number; readonly made: number; readonly failed: number }

/** Connects again and again, `perSecond` times, and leaves once connected, from a separate process. */
export const callOnAndOn = (order: CallOrder): { stop(): Promise<Called> } => carryOut(PROCESS, order)
