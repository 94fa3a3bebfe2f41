/** The installation as a whole. */
export type InstallationTables = {
  /** Applied migrations. */
  migrations: { name: string; checksum: string; appliedAt: string }
  /** Facts of the whole installation: `id`, and those that `../installation.ts` names. */
  installation: { name: string; value: string }
}
