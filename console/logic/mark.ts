/** A bell in a ring: the mark, on 64 × 64. `ground`: its colour. */
export const markOf = (ground: string): string =>
  `<rect width="64" height="64" rx="14" fill="${ground}"/><path d="M32 12a4 4 0 0 1 4 4v1.5A14 14 0 0 1 46 31v7l4 6v2H14v-2l4-6v-7a14 14 0 0 1 10-13.5V16a4 4 0 0 1 4-4z" fill="#fff"/><circle cx="32" cy="51" r="4.5" fill="#ff9173"/>`

/** The same with the number of open alarms in the place of the bell. */
export function countOf(count: number, ground: string): string {
  const text = count > 99 ? '99+' : String(count)
  const size = [44, 38, 28][text.length - 1]!
  return `<rect width="64" height="64" rx="14" fill="${ground}"/><text x="32" y="${32 + size * 0.36}" font-family="sans-serif" font-weight="700" font-size="${size}" text-anchor="middle" fill="#fff">${text}</text>`
}

export const GROUNDS = { calm: '#1f4a70', attended: '#46535f', urgent: '#b5301a' } as const

/** As the icon of a tab. */
export const iconOf = (drawing: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${drawing}</svg>`)}`
