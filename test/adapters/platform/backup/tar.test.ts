import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { decrypted, encrypted } from '../../../../src/adapters/platform/backup/age-file.ts'
import { partOf, readSiteFile, writeSiteFile } from '../../../../src/adapters/platform/backup/site-file.ts'
import { membersOf, tarOf } from '../../../../src/adapters/platform/backup/tar.ts'
import { hasProgram, skipWithout } from '../../../fixtures/requires.ts'

async function* each<T>(...items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

async function directory(t: { after(work: () => unknown): void }): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tocsin-tar-'))
  t.after(() => rm(made, { recursive: true, force: true }))
  return made
}

const FILES: readonly (readonly [string, Buffer])[] = [
  ['empty', Buffer.alloc(0)],
  ['one block', Buffer.alloc(512, 'x')],
  ['tls/ca.crt', Buffer.from('a certificate\n')],
  ['large', Buffer.alloc(200_001, 'y')],
]

const archive = () => bytesOf(tarOf(each(...FILES.map(([name, text]) => partOf(name, text))), 1_700_000_000_000))

/** In pieces of this length, as a disk or a cipher gives them. */
async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

test('what was packed is unpacked, whatever pieces it comes in, and by tar', async (t) => {
  const packed = await archive()
  for (const length of [1000, 512, 65_536, packed.length]) {
    const found: [string, Buffer][] = []
    for await (const { name, content } of membersOf(inPieces(packed, length)))
      found.push([name, await bytesOf(content)])
    assert.deepEqual(found, FILES)
  }
  if (skipWithout(t, 'tar', hasProgram('tar'))) return
  const at = await directory(t)
  await writeFile(join(at, 'packed.tar'), packed)
  await promisify(execFile)('tar', ['xf', 'packed.tar'], { cwd: at })
  for (const [name, text] of FILES) assert.deepEqual(await readFile(join(at, name)), text)
})

test('a member above 8 GiB keeps its size', async () => {
  const bytes = 9 * 2 ** 30 + 1
  const content = { name: 'tocsin.db', bytes, content: each<Uint8Array>() }
  const packed = tarOf(each(content), 0)
  const { value: header } = await packed.next()
  const { value: member } = await membersOf(each(header as Uint8Array)).next()
  assert.deepEqual([member?.name, member?.bytes], ['tocsin.db', bytes])
  await assert.rejects(packed.next(), /changed while it was read: 0 of 9663676417 bytes/)
})

test('an archive of anybody else, or one that ends early, is refused', async () => {
  const packed = await archive()
  const all = async (bytes: Buffer) => {
    for await (const { content } of membersOf(inPieces(bytes, 4096))) await bytesOf(content)
  }
  await all(packed)
  await assert.rejects(all(packed.subarray(0, 1500)), /ends early/)
  const link = Buffer.from(packed)
  link[156] = 0x32
  await assert.rejects(all(link), /is not one of tocsin backup/)
  await assert.rejects(all(Buffer.concat([packed, Buffer.from('more')])), /something follows/)
})

test('a file is opened by each of its recipients, by nobody else, and by age', async (t) => {
  const at = await directory(t)
  const keys = await Promise.all([generateX25519Identity(), generateX25519Identity(), generateX25519Identity()])
  const recipients = await Promise.all(keys.slice(0, 2).map((key) => identityToRecipient(key)))
  const text = Buffer.alloc(300_000, 'z')
  const path = join(at, 'file.age')
  await writeFile(path, await bytesOf(await encrypted(each(text), recipients)))
  const file = await open(path)
  try {
    for (const key of keys.slice(0, 2)) assert.deepEqual(await bytesOf(decrypted(file, [key])), text)
    await assert.rejects(bytesOf(decrypted(file, [keys[2]!])), { message: 'cannot be opened with this key' })
  } finally {
    await file.close()
  }
  if (skipWithout(t, 'age', hasProgram('age'))) return
  await writeFile(join(at, 'key'), keys[0]!)
  await promisify(execFile)('age', ['-d', '-i', join(at, 'key'), '-o', join(at, 'plain'), path])
  assert.deepEqual(await readFile(join(at, 'plain')), text)
})

test('a backup whose parts do not match what it says of them is refused, also if its key fits', async (t) => {
  const at = await directory(t)
  const key = await generateX25519Identity()
  const recipients = [await identityToRecipient(key)]
  const about = {
    format: 1 as const,
    madeAt: '2026-03-01T03:10:00.000Z',
    version: '0.2.0',
    schema: 1,
    site: '00000000',
    alarms: { at: 0, number: 0 },
  }
  const forged = async (name: string, ...parts: readonly (readonly [string, string])[]) => {
    const path = join(at, name)
    const members = parts.map(([member, text]) => partOf(member, Buffer.from(text)))
    await writeFile(path, await bytesOf(await encrypted(tarOf(each(...members), 0), recipients)))
    const file = await open(path)
    return readSiteFile(file, [key]).finally(() => file.close())
  }
  const first = ['about.json', JSON.stringify(about)] as const
  await assert.rejects(forged('nothing'), /ends early/)
  await assert.rejects(forged('no-manifest', first, ['tocsin.yaml', '']), /ends early/)
  await assert.rejects(forged('empty', first, ['tocsin.yaml', ''], ['manifest.json', '[]']), /own checksums/)
  await assert.rejects(forged('no-about', ['tocsin.db', '']), /is not a backup of Tocsin/)
  await assert.rejects(forged('no-json', ['about.json', 'x']), /is not a backup of Tocsin/)
  await assert.rejects(
    forged('format', ['about.json', JSON.stringify({ ...about, format: 2 })]),
    /or a newer version made it/,
  )
  const twice = (name: string) => forged(`twice-${name}`, first, [name, 'a'], [name, 'b'], ['manifest.json', '[]'])
  await assert.rejects(twice('tocsin.db'), /is not a backup of Tocsin/)
  await assert.rejects(twice('tocsin.yaml'), /is not a backup of Tocsin/)
  // It is printed on the terminal of root.
  const obeyed = forged('obeyed', ['about.json', JSON.stringify({ ...about, version: '0.2.0\u001b[2J' })])
  await assert.rejects(obeyed, /is not a backup of Tocsin/)
  const file = await open(join(at, 'whole'), 'wx+')
  t.after(() => file.close())
  const manifest = await writeSiteFile(file, { about, recipients, parts: [partOf('tocsin.yaml', Buffer.from('a: 1'))] })
  assert.deepEqual(await readSiteFile(file, [key]), { about, manifest })
})
