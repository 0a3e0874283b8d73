import { readFile, stat } from 'node:fs/promises'
import { SECOND } from '../../../lib/durations.ts'
import { pairOf } from './pair.ts'
import type { Source } from './source.ts'

/**
 * Reading two small files is cheap, and detects every kind of change: written in place, renamed, or a link repointed.
 */
const POLL_INTERVAL_MS = 2 * SECOND
const OTHERS_READ = 0o004

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EACCES: 'the user that Tocsin runs as has no permission to read it',
  EISDIR: 'it is a directory',
}

/** The operator's own certificate and key, from `tls.cert` and `tls.key`. */
export function operatorFiles({ certFile, keyFile }: { certFile: string; keyFile: string }): Source {
  const named = { cert: `tls.cert (${certFile})`, key: `tls.key (${keyFile})` }
  return {
    lookEveryMs: POLL_INTERVAL_MS,
    async load() {
      const cert = await read(certFile, named.cert)
      if ('refused' in cert) return cert
      const key = await read(keyFile, named.key)
      if ('refused' in key) return key
      const checked = pairOf({ cert: cert.text, key: key.text, named })
      if ('refused' in checked) return checked
      const { pair } = checked
      const isOpen = ((await stat(keyFile)).mode & OTHERS_READ) !== 0
      return {
        pair,
        made: null,
        used: [{ certificate: pair.leaf, file: certFile, kind: 'operator' }],
        concerns: isOpen ? [`${named.key} can be read by every user of this machine; fix that with chmod o=`] : [],
      }
    },
  }
}

async function read(file: string, named: string): Promise<{ readonly text: string } | { readonly refused: string }> {
  try {
    return { text: await readFile(file, 'utf8') }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return { refused: `${named} could not be read: ${reasons[code] ?? code}` }
  }
}
