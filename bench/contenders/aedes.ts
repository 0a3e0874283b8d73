import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { startModule } from '../children.ts'
import type { Contender } from './contender.ts'

const PROCESS = new URL('./aedes-process.ts', import.meta.url)
const MANIFEST = new URL('../../node_modules/aedes/package.json', import.meta.url)

export async function startAedes(): Promise<Contender> {
  const child = startModule(PROCESS, [])
  const [address] = (await once(child, 'message')) as [AddressInfo]
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }
  return { name: 'bare Aedes', note: `${version}, stores nothing`, port: address.port, pid: child.pid! }
}
