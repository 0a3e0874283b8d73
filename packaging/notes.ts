/** What a site should know of the files of a release, besides what has changed. */
const ABOUT = `The files are described in docs/containers.md and in docs/operating.md, Install. Check them first:

    gpg --verify SHA256SUMS.asc SHA256SUMS && sha256sum --check --ignore-missing SHA256SUMS

The packages and images for arm64 are put together on amd64. Their program has run in QEMU, and never on such a machine. There is no LICENSE yet: until the owner has chosen one, all rights are reserved.
`

/**
 * The notes of a release, made from the section of its version in the changelog. Links into the repository become
 * their text and path, because the repository does not lie beside the notes. Throws if the changelog has no such
 * section.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m)
  const own = sections.find((section) => section.split('\n', 1)[0]?.split(' ', 1)[0] === version)
  if (own === undefined) throw new Error(`CHANGELOG.md has no section ${version}`)
  const [, ...lines] = own.split('\n')
  const text = lines
    .join('\n')
    .trim()
    .replace(/\[([^\]]*)\]\((?!https?:)([^)\s]*)\)/g, (_link, words: string, target: string) =>
      target.startsWith('#') || words === target ? words : `${words} (${target})`,
    )
  return `# Tocsin ${version}\n\n${ABOUT}\n${text}\n`
}
