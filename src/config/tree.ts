/** The configuration as written, not yet validated. */
export type Tree = { readonly [key: string]: unknown }

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A key without a value (`publicUrl:`) counts as absent. */
export const withoutBlanks = (tree: Tree): Tree =>
  Object.fromEntries(
    Object.entries(tree)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [key, isTree(value) ? withoutBlanks(value) : value]),
  )

/** The value at `path` of a tree, or of the validated configuration. */
export const at = (tree: object, path: readonly string[]): unknown =>
  path.reduce<unknown>((found, key) => (isTree(found) ? found[key] : undefined), tree)

/**
 * `tree` with `value` at `path`. If the file has anything but a section on the way, that stays, for the schema to
 * refuse.
 */
export function withValue(tree: Tree, [key, ...rest]: readonly string[], value: unknown): Tree {
  if (key === undefined) return tree
  const inner = tree[key] ?? {}
  if (rest.length === 0) return { ...tree, [key]: value }
  return isTree(inner) ? { ...tree, [key]: withValue(inner, rest, value) } : tree
}
