import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotRun, type Ground } from '../ground.ts'

const ROOT = '/sys/fs/cgroup'
const NAME = `tocsin-prove-${process.pid}`

/** What runs a program with at most this much memory: a control group of its own, gone with the ground. */
export function limitedTo(ground: Ground, bytes: number): readonly string[] {
  const isSecond = existsSync(join(ROOT, 'cgroup.controllers'))
  const group = isSecond ? join(ROOT, NAME) : join(ROOT, 'memory', NAME)
  try {
    mkdirSync(group)
    // Removed after everything in it has ended.
    ground.after(() => rmdirSync(group))
    writeFileSync(join(group, isSecond ? 'memory.max' : 'memory.limit_in_bytes'), String(bytes))
  } catch (error) {
    throw new CannotRun(`needs root and a control group for memory: ${(error as Error).message}`)
  }
  return ['sh', '-c', `echo $$ > ${group}/cgroup.procs && exec "$@"`, 'sh']
}
