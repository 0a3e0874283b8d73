import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { startModule } from '../children.ts'
import type { Contender } from './contender.ts'

const PROCESS = new URL('./bare-process.ts', import.meta.url)

export async function startBare(): Promise<Contender> {
  const child = startModule(PROCESS, [])
  const [address] = (await once(child, 'message')) as [AddressInfo]
  return { name: 'bare Node', note: 'cuts frames and acknowledges, nothing else', port: address.port, pid: child.pid! }
}
