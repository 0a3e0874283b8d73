import type { FileHandle } from 'node:fs/promises'
import { Decrypter, Encrypter } from 'age-encryption'

const INTRO = 'age-encryption.org/v1\n'
/** Of our own files the header has some 400 bytes. A file of a stranger must not fill the memory. */
const MAX_HEADER_BYTES = 64 * 1024
const READ_BYTES = 1024 * 1024

/** Whether the file begins as age's do (https://age-encryption.org/v1). Reads from its start. */
export async function isEncrypted(file: FileHandle): Promise<boolean> {
  const start = Buffer.alloc(INTRO.length)
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  return bytesRead === start.length && start.toString('latin1') === INTRO
}

/** `content`, encrypted so that each of the recipients can open it. */
export async function encrypted(
  content: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return encrypter.encrypt(ReadableStream.from(content))
}

/** The fault of a file, without its name, for a sentence that begins with it. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

const DAMAGED = 'is damaged or incomplete'

/**
 * The content of an encrypted file, opened with one of the identities. The last piece proves that nothing is missing.
 * Throws `UnreadableFile`.
 */
export async function* decrypted(file: FileHandle, identities: readonly string[]): AsyncGenerator<Uint8Array> {
  const start = Buffer.alloc(MAX_HEADER_BYTES)
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  if (!/\n--- [^\n]*\n/.test(start.toString('latin1', 0, bytesRead))) throw new UnreadableFile(DAMAGED)
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  let content: AsyncIterable<Uint8Array>
  try {
    content = await decrypter.decrypt(ReadableStream.from(piecesOf(file)))
  } catch (error) {
    const isForeign = error instanceof Error && error.message.includes('no identity matched')
    throw new UnreadableFile(isForeign ? 'cannot be opened with this key' : DAMAGED, { cause: error })
  }
  const pieces = content[Symbol.asyncIterator]()
  try {
    for (;;) {
      // Only reading may say that the file is damaged: what its reader throws comes through the yield.
      const next = await pieces.next().catch((error: unknown) => {
        throw isOfDisk(error) ? error : new UnreadableFile(DAMAGED, { cause: error })
      })
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await pieces.return?.()
  }
}

const isOfDisk = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException).syscall === 'string'

async function* piecesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    // A new one for each piece: the one before may still be in use.
    const piece = Buffer.allocUnsafe(READ_BYTES)
    const { bytesRead } = await file.read(piece, 0, READ_BYTES, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}
