import { parentPort, workerData } from 'node:worker_threads'
import { runWriter, type WriterOptions } from './writer.ts'

if (parentPort === null) throw new Error('the writer must run as a thread of the store')
await runWriter(workerData as WriterOptions, parentPort)
