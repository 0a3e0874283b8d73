import { lstatSync, readlinkSync } from 'node:fs'
import module from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'

type FileOwner = { readonly uid: number; readonly gid: number }

/** The same limit as in the kernel. */
const MAX_LINKS = 40

/**
 * If run as root, becomes the owner of the data for good: no file is created that the service's own user cannot open,
 * and root's rights touch nothing that the owner may have planted (access.md#command-line). If root owns the data, it
 * stays root; any other user stays the same. Throws with a sentence for the operator if the path goes through another
 * user's link.
 */
export function becomeOwnerOf(dataDir: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = ownerOf(dataDir)
  if (uid === 0) return
  // Root keeps its own compile cache (bin/tocsin.js), which the data's owner may not be able to write.
  module.flushCompileCache()
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

/** Runs `work` with the rights of the data's owner, then becomes root again. Throws as `becomeOwnerOf` does. */
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
 * The owner of the directory or, if it does not exist yet, of its closest existing ancestor. Follows the links of root
 * and of the owner; any other user's link could lead root, or another user, anywhere.
 */
function ownerOf(dataDir: string): FileOwner {
  const left = partsOf(resolve(dataDir))
  const links: { readonly path: string; readonly uid: number }[] = []
  let place = '/'
  let owner: FileOwner = lstatSync(place)
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
