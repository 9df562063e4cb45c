# Made `mlr3` with mlr3 0.14.1, mlr3measures 0.5.0 and R 4.2.2. Rscript make_mlr3.R FOLDER
# The predictions of each iteration, one under another; scores.csv is aggregate() of mlr3.
suppressMessages({
  library(mlr3)
  library(data.table)
})
lgr::get_logger("mlr3")$set_threshold("warn")
target <- file.path(commandArgs(TRUE)[1], "mlr3")
dir.create(target, showWarnings = FALSE)
set.seed(3)
d <- data.table(a = round(rnorm(40), 3), b = round(rnorm(40), 3))
d$y <- factor(ifelse(d$a + d$b + rnorm(40) > 0, "ja", "nein"))
d$z <- round(2 * d$a + rnorm(40), 4)
scores <- NULL
written <- function(task, learners, resampling, name, measures) {
  resampling$instantiate(task)
  bench <- benchmark(data.table(task = list(task), learner = learners, resampling = list(resampling)))
  all <- rbindlist(lapply(seq_len(bench$n_resample_results), function(i) {
    one <- bench$resample_result(i)
    rbindlist(lapply(seq_along(one$predictions()), function(k) {
      cbind(as.data.table(one$predictions()[[k]]), iteration = k, learner_id = one$learner$id)
    }))
  }))
  fwrite(all, file.path(target, paste0(name, ".csv")))
  found <- as.data.table(bench$aggregate(msrs(measures)))
  for (one in measures) {
    scores <<- rbind(scores, data.frame(kind = name, configuration = found$learner_id,
                                        measure = one, value = found[[one]]))
  }
}
tree <- function(depth) {
  lrn("classif.rpart", predict_type = "prob", minsplit = 5, maxdepth = depth, id = paste0("depth.", depth))
}
classes <- as_task_classif(d[, .(a, b, y)], target = "y", positive = "nein", id = "toy")
models <- list(tree(1), tree(2), tree(6))
written(classes, models, rsmp("cv", folds = 4), "classes", c("classif.auc", "classif.acc"))
values <- as_task_regr(d[, .(a, b, z)], target = "z")
models <- list(lrn("regr.rpart"), lrn("regr.featureless"))
written(values, models, rsmp("repeated_cv", folds = 3, repeats = 2), "values", "regr.mse")
write.csv(scores, file.path(target, "scores.csv"), row.names = FALSE)
