import { domainOf } from '../platform/email-address.ts'

/** Providers that receive mail for several domains of their own, with one limit for all of them. */
const DOMAINS: Readonly<Record<string, string>> = {
  'googlemail.com': 'gmail.com',
  'hotmail.com': 'outlook.com',
  'live.com': 'outlook.com',
  'msn.com': 'outlook.com',
  'ymail.com': 'yahoo.com',
  'rocketmail.com': 'yahoo.com',
  'aol.com': 'yahoo.com',
  'me.com': 'icloud.com',
  'mac.com': 'icloud.com',
  'gmx.de': 'gmx.net',
  'web.de': 'gmx.net',
  'pm.me': 'proton.me',
  'protonmail.com': 'proton.me',
}

/** Returns the provider that receives a recipient's mail: the domain, or for several domains of one provider, its main one. */
export function receivingProvider(recipient: string): string {
  const domain = (domainOf(recipient) ?? '').toLowerCase()
  return DOMAINS[domain] ?? domain
}
