/** The pages of models, as one script. */
export { ModelPage } from "./model-page.tsx";
export { ModelsPage } from "./models-page.tsx";
