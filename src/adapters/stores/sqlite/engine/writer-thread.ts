import { parentPort, workerData } from 'node:worker_threads'
import { onceAtRest, releaseCachedCode, releaseMemory } from '../../../../lib/release-memory.ts'
import { runWriter, type WriterOptions } from './writer.ts'

if (parentPort === null) throw new Error('the writer must run as a thread of the store')
// Before there is anything to write.
releaseCachedCode()
await runWriter(workerData as WriterOptions, parentPort)
onceAtRest(() => void releaseMemory())
