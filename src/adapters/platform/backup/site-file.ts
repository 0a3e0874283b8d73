import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { decrypted, encrypted, UnreadableFile } from './age-file.ts'
import { membersOf, type TarMember, tarOf } from './tar.ts'

/** The names of the members that say what the others are: the first, and the last. */
const ABOUT = 'about.json'
const MANIFEST = 'manifest.json'
/** The database, the only member that may be large. */
export const DATABASE = 'tocsin.db'
const FORMAT = 1

const MAX_SMALL_BYTES = 8 * 1024 * 1024
const MAX_SMALL_BYTES_TOGETHER = 64 * 1024 * 1024
const MAX_MEMBERS = 1000

const aboutSchema = z.object({
  format: z.literal(FORMAT),
  madeAt: z.iso.datetime(),
  version: z.string().regex(/^[\w.+-]{1,64}$/),
  /** Of the database. */
  schema: z.int(),
  /** `siteTag` of the site that made it. */
  site: z.string(),
  /** The end of its alarms (`AlarmsEnd`). */
  alarms: z.object({ at: z.int(), number: z.int() }),
})
const manifestSchema = z.array(z.object({ name: z.string(), bytes: z.int(), sha256: z.string() }))

/** When, by which version and at which site a backup was made. */
export type SiteAbout = z.output<typeof aboutSchema>
export type SiteManifest = z.output<typeof manifestSchema>

/**
 * Writes a backup of a site: a tar, encrypted for the recipients, whose last member has the size and SHA-256 of all
 * others. Returns those.
 */
export async function writeSiteFile(
  file: FileHandle,
  {
    about,
    recipients,
    parts,
  }: { readonly about: SiteAbout; readonly recipients: readonly string[]; readonly parts: readonly TarMember[] },
): Promise<SiteManifest> {
  const manifest: SiteManifest[number][] = []
  async function* members(): AsyncGenerator<TarMember> {
    for (const part of [small(ABOUT, about), ...parts]) {
      const { content, sha256 } = hashed(part.content)
      yield { ...part, content }
      manifest.push({ name: part.name, bytes: part.bytes, sha256: sha256() })
    }
    yield small(MANIFEST, manifest)
  }
  const archive = tarOf(members(), Date.parse(about.madeAt))
  for await (const piece of await encrypted(archive, recipients)) await file.writeFile(piece)
  return manifest
}

const small = (name: string, value: unknown): TarMember => {
  const text = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  return partOf(name, text)
}

export const partOf = (name: string, text: Buffer): TarMember => ({ name, bytes: text.length, content: once(text) })

async function* once(text: Buffer): AsyncGenerator<Uint8Array> {
  yield text
}

function hashed(content: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  async function* through(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      hash.update(piece)
      yield piece
    }
  }
  return { content: through(), sha256: () => hash.digest('hex') }
}

/** Receives the contents of a backup. None of them count before `readSiteFile` has returned. */
export type BackupReader = {
  /** Called first. May throw to refuse the backup. */
  readonly begin?: (about: SiteAbout) => void
  /** Takes the content of a member to its end; without it, the content is only checked. */
  readonly database?: (content: AsyncIterable<Uint8Array>) => Promise<void>
  readonly part?: (name: string, content: Buffer) => void
}

/**
 * Reads a whole backup and compares every member with its SHA-256. Throws `UnreadableFile` if a key does not open it,
 * or anything is damaged or missing.
 */
export async function readSiteFile(
  file: FileHandle,
  identities: readonly string[],
  reader: BackupReader = {},
): Promise<{ readonly about: SiteAbout; readonly manifest: SiteManifest }> {
  const found: SiteManifest[number][] = []
  let about: SiteAbout | null = null
  let manifest: SiteManifest | null = null
  let smallBytes = 0
  for await (const member of membersIn(file, identities)) {
    const { name, bytes } = member
    const isTwice = found.some((one) => one.name === name)
    if (manifest !== null || isTwice || found.length > MAX_MEMBERS) throw new UnreadableFile(FOREIGN)
    const { content, sha256 } = hashed(member.content)
    if (name === DATABASE && about !== null) await (reader.database ?? passedBy)(content)
    else {
      smallBytes += bytes
      if (bytes > MAX_SMALL_BYTES || smallBytes > MAX_SMALL_BYTES_TOGETHER) throw new UnreadableFile(FOREIGN)
      const text = await whole(content)
      if (name === MANIFEST) {
        manifest = parsed(manifestSchema, text)
        continue
      }
      if (about !== null) reader.part?.(name, text)
      else if (name === ABOUT) {
        about = parsed(aboutSchema, text)
        reader.begin?.(about)
      } else throw new UnreadableFile(FOREIGN)
    }
    found.push({ name, bytes, sha256: sha256() })
  }
  if (about === null || manifest === null) throw new UnreadableFile('ends early')
  if (JSON.stringify(found) !== JSON.stringify(manifest)) throw new UnreadableFile('does not match its own checksums')
  return { about, manifest }
}

/** The first member alone, without reading the rest. */
export async function readAbout(file: FileHandle, identities: readonly string[]): Promise<SiteAbout> {
  for await (const { name, bytes, content } of membersIn(file, identities)) {
    if (name !== ABOUT || bytes > MAX_SMALL_BYTES) break
    return parsed(aboutSchema, await whole(content))
  }
  throw new UnreadableFile(FOREIGN)
}

const FOREIGN = 'is not a backup of Tocsin, or a newer version made it'

/** The archive's own errors, as faults of the file. */
async function* membersIn(file: FileHandle, identities: readonly string[]): AsyncGenerator<TarMember> {
  const members = membersOf(decrypted(file, identities))
  for (;;) {
    const next = await members.next().catch((error: unknown) => {
      throw isNamed(error) ? error : new UnreadableFile(FOREIGN, { cause: error })
    })
    if (next.done === true) return
    yield next.value
  }
}

/** The file's own fault, or the disk's. */
const isNamed = (error: unknown): boolean =>
  error instanceof UnreadableFile || (error as NodeJS.ErrnoException).code !== undefined

async function passedBy(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

function parsed<T>(schema: z.ZodType<T>, text: Buffer): T {
  try {
    return schema.parse(JSON.parse(text.toString('utf8')))
  } catch (error) {
    throw new UnreadableFile(FOREIGN, { cause: error })
  }
}
