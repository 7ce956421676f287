import { mailgun } from './mailgun.ts'
import { postmark } from './postmark.ts'
import type { Provider } from './provider.ts'
import { sendgrid } from './sendgrid.ts'
import { ses } from './ses.ts'

/** Supported providers. To add one, create a file in this folder and list it here. */
export const PROVIDERS: readonly Provider[] = [ses, sendgrid, postmark, mailgun]
export const PROVIDER_NAMES: readonly string[] = PROVIDERS.map(({ name }) => name)

export const findProvider = (name: string): Provider | undefined => PROVIDERS.find((provider) => provider.name === name)
export { type FetchText, InvalidSignature, type Provider, type ProviderEvent } from './provider.ts'
