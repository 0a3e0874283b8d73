import type { SharedKeys } from '../../../../ports/shared-keys.ts'
import type { Reader } from '../engine/reader.ts'
import { writesOf } from '../engine/write.ts'

type Keeping = {
  /** Stores a key unless there is one of this name. */
  keepKey(name: string, value: Uint8Array): Promise<void>
}

const READ = 'SELECT value FROM shared_keys WHERE name = $1'
const KEEP = 'INSERT INTO shared_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING'

export const sharedKeyWrites = writesOf<Keeping>()({
  keepKey: {
    run: async ({ connection }, name, value) => void (await connection.run(KEEP, [name, Buffer.from(value)])),
  },
})

/** The keys in the database. `keepKey`: as above. */
export const sharedKeysOn = ({ row }: Reader, { keepKey }: Keeping): SharedKeys => ({
  async sharedKey(name, own) {
    const read = async (): Promise<Uint8Array | null> => (await row<{ value: Buffer }>(READ, [name]))?.value ?? null
    const stored = await read()
    if (stored !== null) return stored
    await keepKey(name, await own())
    return (await read())!
  },
})
