import type { WebApp } from '../../../../ports/web-apps.ts'

/** The installed app as systems show it. https://www.w3.org/TR/appmanifest/ */
export function manifestOf({ id, name, colour }: WebApp) {
  const icon = (file: string) => `/app/${file}?app=${encodeURIComponent(id)}`
  return {
    id: '/app/',
    name,
    // Below an icon there is room for so much.
    short_name: [...name].slice(0, 12).join(''),
    start_url: '/app/',
    scope: '/app/',
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: colour,
    icons: [
      { src: icon('icon.svg'), sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      ...[192, 512].flatMap((size) =>
        ['any', 'maskable'].map((purpose) => ({
          src: icon(`icon-${size}.png`),
          sizes: `${size}x${size}`,
          type: 'image/png',
          purpose,
        })),
      ),
    ],
  }
}
