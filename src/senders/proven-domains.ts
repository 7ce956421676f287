import { ApiError } from '../platform/api-error.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { domainOf } from '../platform/email-address.ts'
import { DOMAIN_OF_ANOTHER } from './errors.ts'
import { type DomainProof, proofOf } from './proven-domain-queries.ts'

/**
 * Returns why a sender may not be used now; `undefined` if it may. The instance's own sender always may.
 *
 * @param options.requiresProof whether a workspace must have proven its domain
 */
export function refusalOf(
  { address, domainProof }: { address: string | null; domainProof: DomainProof },
  { requiresProof }: { requiresProof: boolean },
): string | undefined {
  if (address === null || domainProof === 'OWN') return undefined
  if (domainProof === 'OTHER')
    return 'Another workspace has proven that the domain of the sender is its own. Set another sender.'
  return requiresProof
    ? 'This instance requires that a workspace proves the domain of its sender. Publish the DKIM record, and check it.'
    : undefined
}

/** @throws {ApiError} `domain_of_another` if another workspace has proven the domain of an address */
export async function assertNotOfAnother(em: EntityManager, workspaceId: string, address: string): Promise<void> {
  if ((await proofOf(em, workspaceId, address)) !== 'OTHER') return
  const message = `Another workspace has proven that ${domainOf(address)} is its domain. Send from a domain of your own.`
  throw new ApiError(DOMAIN_OF_ANOTHER, { message, param: '/fromAddress' })
}
