/** Every pushed config document. */
export type ConfigTables = {
  /** Every pushed config document. */
  config_versions: {
    environmentId: string
    version: number
    document: string
    updatedAt: string
    actor: string
  }
}
