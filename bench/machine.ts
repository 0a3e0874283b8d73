import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { type Spread, spreadOf } from './statistics.ts'

const SYNCS = 200
const PAGE_BYTES = 4096
/** The unit of the times in /proc, on every Linux that Node runs on. */
export const TICKS_PER_SECOND = 100

export type Machine = {
  readonly node: string
  readonly cores: number
  /** Over the last minute, at the start of the benchmark: what else the machine was doing. */
  readonly loadAverage: number
  /** Milliseconds to write and sync 4 KiB to the disk that holds the data. */
  readonly syncMs: Spread
}

export const describeMachine = (dir: string): Machine => ({
  node: process.version,
  cores: cpus().length,
  loadAverage: loadavg()[0]!,
  syncMs: spreadOf(timeSyncs(join(dir, 'sync-probe'))),
})

function timeSyncs(file: string): number[] {
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const probe = openSync(file, 'w')
  const times = Array.from({ length: SYNCS }, (_, n) => {
    const began = performance.now()
    writeSync(probe, page, 0, page.length, n * PAGE_BYTES)
    fdatasyncSync(probe)
    return performance.now() - began
  })
  closeSync(probe)
  rmSync(file)
  return times
}

/**
 * Processor seconds that a process has used, including its threads; null if the system does not report them (only Linux
 * does).
 */
export function cpuSecondsOf(pid: number): number | null {
  try {
    const fields = statOf(pid)
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return null
  }
}

/**
 * The same of a process and everything it has started, including what has ended; null if the system does not report it.
 */
export function cpuSecondsOfTree(pid: number): number | null {
  try {
    const root = statOf(pid)
    const ended = Number(root[13]) + Number(root[14])
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const running = children.filter(Boolean).map((child) => cpuSecondsOf(Number(child)) ?? 0)
    return running.reduce((sum, seconds) => sum + seconds, cpuSecondsOf(pid)! + ended / TICKS_PER_SECOND)
  } catch {
    return null
  }
}

/** The fields behind the name, which may contain anything. */
const statOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')

/** Resident memory of a process in bytes, or null if the system does not report it. */
export const residentBytesOf = (pid: number): number | null => inProc(pid, 'status', /^VmRSS:\s+(\d+) kB$/m, 1024)

/** The same, with what it shares divided among those that share it. */
export const proportionalBytesOf = (pid: number): number | null =>
  inProc(pid, 'smaps_rollup', /^Pss:\s+(\d+) kB$/m, 1024)

/** The descriptor limit of a process, or null if the system does not report it. */
export const descriptorsOf = (pid: number): number | null => inProc(pid, 'limits', /^Max open files\s+(\d+)/m)

function inProc(pid: number, file: 'status' | 'limits' | 'smaps_rollup', figure: RegExp, unit = 1): number | null {
  try {
    const found = figure.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))
    return found === null ? null : Number(found[1]) * unit
  } catch {
    return null
  }
}

/** Processor seconds that the whole machine has used since its start, or null if the system does not report them. */
export function cpuSecondsOfAll(): number | null {
  try {
    const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
      .split(/\s+/, 8)
      .slice(1)
      .map(Number)
    return (user! + nice! + system! + irq! + softirq!) / TICKS_PER_SECOND
  } catch {
    return null
  }
}
