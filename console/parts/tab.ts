/** The icon of the tab with a number, so that one glance at a row of tabs is enough. */
function icon(count: number, urgent: boolean): string {
  const colour = urgent ? '%23c01f28' : count > 0 ? '%238a4b00' : '%2346505b'
  const text = count > 99 ? '99+' : String(count)
  const size = text.length > 2 ? 26 : 38
  return `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><circle cx="32" cy="32" r="31" fill="${colour}"/><text x="32" y="${32 + size * 0.36}" font-family="sans-serif" font-weight="700" font-size="${size}" text-anchor="middle" fill="white">${text}</text></svg>`
}

/** Counts in the title and in the icon. `unattended`: those that nobody has taken. */
export function countInTab(open: number, unattended: number, title: string): void {
  document.title = open === 0 ? title : `(${unattended > 0 ? `${unattended}!` : open}) ${title}`
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  const href = icon(open, unattended > 0)
  if (link !== null && link.getAttribute('href') !== href) link.href = href
}
