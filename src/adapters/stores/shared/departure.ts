/** The reason why a site that was copied elsewhere does not start. `leftAt`: epoch ms. */
export const leftSentence = (place: string, leftAt: number): string =>
  `everything here was copied to ${place} at ${new Date(leftAt).toISOString()}, and the site goes on there; to go on here instead, without what has happened there since, stop the service there for good and run: tocsin store reopen`
