import { parentPort, workerData } from 'node:worker_threads'
import { SECOND } from '../../../../lib/durations.ts'
import { releaseMemory } from '../../../../lib/release-memory.ts'
import { runWriter, type WriterOptions } from './writer.ts'

/** After the start, so that what waited for it is stored first. */
const RELEASE_MS = 2 * SECOND

if (parentPort === null) throw new Error('the writer must run as a thread of the store')
await runWriter(workerData as WriterOptions, parentPort)
setTimeout(() => void releaseMemory(), RELEASE_MS).unref()
