import { createHash, createSecretKey } from 'node:crypto'
import { createSecrets } from '../../src/platform/secrets.ts'
import { createLinks } from '../../src/signed-links/links.ts'

/** Links that belong to no instance. */
export const someLinks = createLinks(
  createSecretKey(createHash('sha256').update('a secret').digest()),
  'https://mail.example.com',
)

export const noSecrets = createSecrets(undefined)
