import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml'

/**
 * The line (from 1) of a key such as `http.port` or `notifications.providers[1]` in the document; null if it is not
 * there.
 */
export const keyLines =
  (document: Document, counter: LineCounter) =>
  (key: string): number | null => {
    let node: unknown = document.contents
    let offset: number | undefined
    for (const [, name, index] of key.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === name)
        if (pair === undefined || !isNode(pair.key)) return null
        offset = pair.key.range?.[0]
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(index)]
        if (!isNode(node)) return null
        offset = node.range?.[0]
      } else {
        return null
      }
    }
    return offset === undefined ? null : counter.linePos(offset).line
  }
