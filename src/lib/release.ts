import { readFileSync } from 'node:fs'
import { fileOf } from './installation.ts'

/** Identifies the running program. `commit`: of its sources, 12 hex digits; null in a checkout. */
export type Release = { readonly version: string; readonly commit: string | null }

/** As the files say now: an upgrade replaces them before the process restarts. */
export function releaseOfFiles(): Release {
  const { version, commit = null } = JSON.parse(readFileSync(fileOf('package.json'), 'utf8'))
  return { version, commit }
}

export const release: Release = releaseOfFiles()
