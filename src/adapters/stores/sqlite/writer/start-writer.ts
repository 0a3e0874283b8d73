import { MessageChannel, Worker } from 'node:worker_threads'
import { threadOf } from '../../../../lib/installation.ts'
import { type FromWriter, runWriter, type ToWriter, type WriterOptions } from './writer.ts'

/** A writer, seen from the queue. */
export type WriterEnd = {
  postMessage(message: ToWriter): void
  on(event: 'message', listener: (message: FromWriter) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
  removeAllListeners(event: string): unknown
  terminate(): Promise<unknown>
}

const THREAD = threadOf('adapters/stores/sqlite/writer/writer-thread')

/** A writer on a separate thread: the service keeps working while the disk is busy. */
export const writerThread = (options: WriterOptions, script = THREAD): WriterEnd =>
  new Worker(script, { workerData: options, name: 'store writer', execArgv: [] })

/** A writer in this thread, for a command: it waits for each write anyway, and a thread takes longer to start. */
export async function writerHere(options: WriterOptions): Promise<WriterEnd> {
  const { port1, port2 } = new MessageChannel()
  port1.once('close', () => port1.emit('exit', undefined))
  runWriter(options, port2).catch((error) => port1.emit('error', error))
  return Object.assign(port1, { terminate: async () => port1.close() })
}
