import { lstatSync, readlinkSync } from 'node:fs'
import module from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'

type Owner = { readonly uid: number; readonly gid: number }

/** As many as the kernel follows. */
const MAX_LINKS = 40

/**
 * Run as root, goes on as the owner of the data, for good: no file is left that the service's own user cannot open, and
 * nothing that the owner planted is touched with root's rights. rules.md#command-line. Where the data belongs to root,
 * root it stays; anyone else stays who they are. Throws with a sentence for the operator where a link of somebody
 * else's leads to the data.
 */
export function becomeOwnerOf(dataDir: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = ownerOf(dataDir)
  if (uid === 0) return
  // What has been compiled so far is root's to keep (bin/tocsin.js); the owner of the data may not write there.
  module.flushCompileCache()
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

/**
 * Does the work with the rights of the owner of the data, and is root again afterwards. Throws as `becomeOwnerOf` does.
 */
export function asOwnerOf<T>(dataDir: string, work: () => T): T {
  if (process.getuid?.() !== 0) return work()
  const { uid, gid } = ownerOf(dataDir)
  process.setegid?.(gid)
  process.seteuid?.(uid)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

/**
 * Whose the directory is, or, where it is still to be made, the closest one above it. Root's own links on the way there
 * are followed, and those of the owner; anybody else's could lead root, or another user, to wherever they like.
 */
function ownerOf(dataDir: string): Owner {
  const left = partsOf(resolve(dataDir))
  const links: { readonly path: string; readonly uid: number }[] = []
  let place = '/'
  let owner: Owner = lstatSync(place)
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const path = name === '..' ? dirname(place) : join(place, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) break
    if (found.isSymbolicLink()) {
      links.push({ path, uid: found.uid })
      if (links.length > MAX_LINKS) throw new Error(`dataDir ${dataDir} goes through too many links`)
      const target = readlinkSync(path)
      left.unshift(...partsOf(target))
      if (isAbsolute(target)) place = '/'
      continue
    }
    place = path
    owner = found
    if (!found.isDirectory()) break
  }
  const foreign = links.find(({ uid }) => uid !== 0 && uid !== owner.uid)
  if (foreign === undefined) return owner
  throw new Error(
    `dataDir ${dataDir} goes through the link ${foreign.path} of user ${foreign.uid} to ${place} of user ${owner.uid}, which root does not follow; set dataDir to the directory itself`,
  )
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.')
