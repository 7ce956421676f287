import type { Client } from '@temporalio/client'
import { isGrpcServiceError } from '@temporalio/client'

/** gRPC status codes of permanent rejections. @see https://grpc.io/docs/guides/status-codes/ */
const PERMISSION_DENIED = 7
const UNIMPLEMENTED = 12

/**
 * Returns the ID of a namespace, which is unique across servers, unlike its name.
 *
 * @returns `null` if Temporal does not reveal it
 */
export async function namespaceIdOf(client: Client, namespace: string): Promise<string | null> {
  try {
    const { namespaceInfo } = await client.connection.workflowService.describeNamespace({ namespace })
    return namespaceInfo?.id || null
  } catch (error) {
    if (isGrpcServiceError(error) && [PERMISSION_DENIED, UNIMPLEMENTED].includes(error.code)) return null
    throw error
  }
}
