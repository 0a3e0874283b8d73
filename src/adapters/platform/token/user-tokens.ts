import { randomBytes, randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jwtVerify, SignJWT } from 'jose'
import type { Session } from '../../../core/account/session.ts'
import { isoAt } from '../../../core/ingest/event-time.ts'
import { MINUTE, SECOND } from '../../../lib/durations.ts'
import { readOwnFile } from '../../../lib/own-file.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { UserTokens } from '../../../ports/user-tokens.ts'

/** access.md#user-tokens. */
const LIFE_MS = 15 * MINUTE
const ALGORITHM = 'HS256'
const KEY_BYTES = 32
const AUDIENCE = 'tocsin-user'

/**
 * User JWTs. Without a shared `key`, they are signed with one that is created once and kept in
 * `{dataDir}/user-token.key` (mode 0600). Throws if that can be neither read nor created.
 */
export function createUserTokens({
  dataDir,
  clock,
  key: shared = null,
}: {
  readonly dataDir: string
  readonly clock: Pick<Clock, 'now'>
  /** The key that this node shares with others. */
  readonly key?: Uint8Array | null
}): UserTokens {
  const key = shared ?? keptKey(dataDir)
  const claims = { audience: AUDIENCE, algorithms: [ALGORITHM] }
  return {
    async issue(session) {
      const issuedAt = Math.floor(clock.now() / SECOND)
      const expiresAt = issuedAt + LIFE_MS / SECOND
      const token = await new SignJWT({ app: session.appId })
        .setProtectedHeader({ alg: ALGORITHM })
        .setSubject(session.userId)
        .setAudience(AUDIENCE)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key)
      return { token, expiresAt: isoAt(expiresAt * SECOND) }
    },
    async isValid(token, session) {
      try {
        const { payload } = await jwtVerify(token, key, { ...claims, currentDate: new Date(clock.now()) })
        return isOf(payload, session)
      } catch {
        // For any fault, it is not a token of this user.
        return false
      }
    },
  }
}

const isOf = (payload: { sub?: string; app?: unknown }, session: Session): boolean =>
  payload.sub === session.userId && payload.app === session.appId

/** The key for a site whose nodes will share one: that in the data directory if any, so that its tokens stay valid. */
export const ownTokenKey = (dataDir: string): Uint8Array => readKey(fileIn(dataDir)) ?? randomBytes(KEY_BYTES)

const fileIn = (dataDir: string): string => join(dataDir, 'user-token.key')

/** The key. It is created under another name and then moved, so that a crash never leaves a partial one. */
function keptKey(dataDir: string): Uint8Array {
  const file = fileIn(dataDir)
  const existing = readKey(file)
  if (existing !== null) return existing
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  const key = randomBytes(KEY_BYTES)
  try {
    writeFileSync(draft, key, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return key
}

/**
 * The stored key. Null if there is no usable one: a damaged one and a link count as missing. Tokens live for minutes,
 * and no alarm may wait until someone has repaired a key.
 */
function readKey(file: string): Uint8Array | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true) return null
  const key = readOwnFile(file)
  return key?.length === KEY_BYTES ? key : null
}
