import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connect.ts'
import { faultOf, isFatal, type StoreFault } from './fault.ts'
import { singleStatement, type WriterOptions, writesOn } from './writes/writes.ts'

/** One write: the name of a function of `writesOn`, and what it is called with. */
export type Operation = readonly [name: string, input: readonly unknown[]]
export type OperationResult = { readonly value: unknown } | { readonly fault: StoreFault }
/** One a batch, after its commit. `fatal`: what is on disk is no longer known; the process has to end. */
export type BatchResult = { readonly results: readonly OperationResult[]; readonly fatal: boolean }

export type WriterData = WriterOptions & { readonly file: string }

/*
 * The writer thread. Takes a batch, runs each of its operations in one transaction, commits, and answers once: that is the group
 * commit. An operation that fails takes back what it did and leaves its neighbours alone; a commit that fails is everybody's.
 */
const { file, ...options } = workerData as WriterData
const db = connect(file, 'writer')
const writes = writesOn(db, options) as unknown as Readonly<Record<string, (...input: readonly unknown[]) => unknown>>
const begin = db.prepare('BEGIN IMMEDIATE')
const commit = db.prepare('COMMIT')
const savepoint = db.prepare('SAVEPOINT operation')
const release = db.prepare('RELEASE operation')
const takeBack = db.prepare('ROLLBACK TO operation')
const rollback = db.prepare('ROLLBACK')

function run([name, input]: Operation): OperationResult {
  const write = writes[name]
  if (write === undefined) throw new TypeError(`no such write: ${name}`)
  if (singleStatement.has(name)) return { value: write(...input) }
  savepoint.run()
  try {
    const value = write(...input)
    release.run()
    return { value }
  } catch (error) {
    if (db.inTransaction) {
      takeBack.run()
      release.run()
    }
    throw error
  }
}

function runBatch(operations: readonly Operation[]): BatchResult {
  try {
    begin.run()
    const results = operations.map((operation): OperationResult => {
      try {
        return run(operation)
      } catch (error) {
        // SQLite gives up the whole transaction by itself when it cannot go on, as with a full disk.
        if (!db.inTransaction) throw error
        return { fault: faultOf(error) }
      }
    })
    commit.run()
    return { results, fatal: false }
  } catch (error) {
    if (db.inTransaction) rollback.run()
    const fault = faultOf(error)
    return { results: operations.map(() => ({ fault })), fatal: isFatal(error) }
  }
}

parentPort!.on('message', (operations: readonly Operation[] | null) => {
  if (operations !== null) return parentPort!.postMessage(runBatch(operations))
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  parentPort!.close()
})
parentPort!.postMessage('ready')
