import pMap from 'p-map'
import type { ApiDependencies } from '../http/index.ts'
import { type Absent, RendererBusy } from '../rendering/index.ts'
import { ApiError, BUSY } from '../platform/api-error.ts'
import { assertVariablesExist } from '../templates/index.ts'
import { allContents } from './contents-queries.ts'

/** The variables that the emails of a campaign do not have. */
const ABSENT: Absent = ['data', 'event', 'steps', 'confirmUrl']

/** The number of contents that are checked concurrently. Other requests also need the renderer. */
const CONCURRENCY = 2

/**
 * Checks that a campaign prints only variables that exist, in all its languages and variants.
 * @throws {ApiError} `variable_missing`; `busy`
 */
export async function assertCampaignVariables(
  { em, renderer }: Pick<ApiDependencies, 'em' | 'renderer'>,
  workspaceId: string,
  campaignId: string,
): Promise<void> {
  const contents = await allContents(em.fork(), workspaceId, campaignId)
  await pMap(
    contents,
    async ({ variant, locale, ...content }) => {
      const { variables } = await renderer.check(content, { owner: workspaceId }).catch((error: unknown) => {
        throw error instanceof RendererBusy ? new ApiError(BUSY, { cause: error }) : error
      })
      const which = [...(variant === 0 ? [] : [`variant ${variant}`]), ...(locale === '' ? [] : [locale])].join(', ')
      assertVariablesExist(variables, ABSENT, {
        path: which === '' ? 'The campaign' : `The campaign (${which})`,
        pointer: undefined,
      })
    },
    { concurrency: CONCURRENCY },
  )
}
