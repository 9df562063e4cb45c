# Made `tidymodels` with tune 1.0.1, parsnip 1.0.3, workflows 1.1.0, yardstick 1.1.0, rsample 1.1.1
# and R 4.2.2. Rscript make_tidymodels.R FOLDER; scores.csv is collect_metrics() of each result.
suppressMessages({
  library(tune)
  library(parsnip)
  library(workflows)
  library(rsample)
  library(yardstick)
})
target <- file.path(commandArgs(TRUE)[1], "tidymodels")
dir.create(target, showWarnings = FALSE)
set.seed(3)
d <- data.frame(a = round(rnorm(40), 3), b = round(rnorm(40), 3))
d$y <- factor(ifelse(d$a + d$b + rnorm(40) > 0, "ja", "nein"))
d$z <- round(2 * d$a + rnorm(40), 4)
keep <- control_grid(save_pred = TRUE)
scores <- NULL
written <- function(result, name, ...) {
  write.csv(collect_predictions(result, ...), file.path(target, paste0(name, ".csv")), row.names = FALSE)
  found <- as.data.frame(collect_metrics(result))[, c(".config", ".metric", "mean")]
  scores <<- rbind(scores, cbind(kind = name, found))
}
tree <- decision_tree(cost_complexity = tune(), tree_depth = tune(), min_n = 5)
classes <- add_model(add_formula(workflow(), y ~ a + b),
                     set_engine(set_mode(tree, "classification"), "rpart"))
values <- add_model(add_formula(workflow(), z ~ a + b),
                    set_engine(set_mode(tree, "regression"), "rpart"))
grid <- data.frame(cost_complexity = c(0.2, 0.01, 0.0001), tree_depth = c(1L, 2L, 6L))
measures <- metric_set(roc_auc, accuracy, f_meas)
found <- tune_grid(classes, vfold_cv(d, v = 4), grid = grid, metrics = measures, control = keep)
written(found, "classes", summarize = FALSE)
repeats <- vfold_cv(d, v = 3, repeats = 2)
found <- tune_grid(values, repeats, grid = grid, metrics = metric_set(rmse), control = keep)
written(found, "values", summarize = FALSE)
names(scores) <- c("kind", "configuration", "measure", "value")
write.csv(scores, file.path(target, "scores.csv"), row.names = FALSE)
