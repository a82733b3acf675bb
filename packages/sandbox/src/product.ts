/** The only product of every chain here. */
export const PRODUCT = "Sandbox";
